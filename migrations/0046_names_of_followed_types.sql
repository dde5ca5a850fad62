-- A name that is followed is known, also where no contract of it has been seen: readers get no rows, and no error.

insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
select type_fqn, split_part(type_fqn, ':', 1), split_part(type_fqn, ':', 2), split_part(type_fqn, ':', 3),
       case when type_fqn like 'splice-api-token-%' then 'interface' else 'template' end
from followed_type
where type_fqn ~ '^[^:]+:[^:]+:[^:]+$'
on conflict (template_fqn) do nothing;
