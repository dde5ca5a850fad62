-- What the projection follows: a template that is followed from now on may have contracts from before.

create table followed_type (
  type_fqn  text primary key check (type_fqn <> '')
);
comment on table followed_type is
  'Templates and interfaces whose active contracts the projection holds. What is not here is read once when it is first followed.';

-- Stores that have followed a ledger before this began with these.
insert into followed_type (type_fqn)
select 'quickstart-licensing:' || name
from unnest(array['Licensing.AppInstall:AppInstallRequest', 'Licensing.AppInstall:AppInstall', 'Licensing.License:License']) name
where exists (select from query_store_offset where stream = 'updates');
