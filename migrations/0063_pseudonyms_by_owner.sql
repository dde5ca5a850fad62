-- 0063: pseudonyms are made with the rights of the owner, so that the run-time role cannot say which person one means.

-- Temporary tables and other schemas do not count: the function has more rights than its callers. A trigger of another
-- table could pass values whose casts run with these rights, so that only the owner may name the function in a trigger.
do $$ begin
  execute format(
    'alter function audit_by_pseudonym() security definer set search_path = %I, pg_temp', current_schema());
end $$;
revoke execute on function audit_by_pseudonym() from public;
