-- 0028: what is said of the items of a bulk act is true of cancels too.

comment on table bulk_item is 'A change of a bulk act, numbered in the order in which they are worked off: by lane, and in a lane by place; of a cancel the last place of a lane first. Written by the ten thousand, so without references.';
