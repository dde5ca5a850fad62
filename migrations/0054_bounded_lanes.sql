-- 0054: a lane whose waiting operations one transaction does not end, and the lifecycles of a lane that have not ended.

create table interrupted_lane (
  lane text collate "C" primary key references mailbox,
  after_no integer not null,
  turn_at timestamptz not null default clock_timestamp()
);
comment on table interrupted_lane is 'Lanes without a head in which operations wait: one transaction ends a bounded number of them, and the next one goes on here.';
comment on column interrupted_lane.after_no is 'Every operation of the lane up to this place has been judged.';
comment on column interrupted_lane.turn_at is 'When the lane last had its turn: the lane that waits for longest is next.';
create index interrupted_lane_turn on interrupted_lane (turn_at, lane);

-- The expression keeps the planner away from the partial indexes of what is active, which are not ordered by lane.
create index lifecycle_in_lane on lifecycle (lane, (coalesce(ended_at, 'infinity'::timestamptz)));
drop index lifecycle_lane;
