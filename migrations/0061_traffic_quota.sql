-- 0061: the traffic of a tenant's day is added up where the tenant has a quota of traffic.

create index change_traffic on change (caller_party, accepted_at) where caller_party <> provider;
