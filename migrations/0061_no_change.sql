-- 0061: changes nothing.

select 1;
