-- 0069: the number is another change's. This file holds its place until both are on one branch.
select 1;
