-- 0007: comments on licences. A comment names its licence by number and parties alone, and is no lifecycle: it is read
-- where it was projected. In the order in which lists give them; without the Z a time with fewer digits of fraction
-- comes before one with more.

create index contract_comment on contract (
    (payload ->> 'provider'),
    (payload ->> 'user'),
    (payload ->> 'licenseNum'),
    (rtrim(payload ->> 'createdAt', 'Z') collate "C"),
    (contract_id collate "C")
  )
  where template_fqn = 'quickstart-licensing:Licensing.LicenseComment:LicenseComment' and not divulged_only;
