-- 0041: which lifecycles there are, and which columns they have, is said by the definitions of the contract package.

alter table lifecycle
  drop constraint lifecycle_kind_check,
  add constraint lifecycle_kind_check check (kind <> ''),
  drop constraint lifecycle_number_is_of_licenses,
  drop constraint lifecycle_expiry_is_of_licenses;

comment on table lifecycle is
  'One life of the contracts of a package from birth to end, such as one licence, and where its machine is.';
