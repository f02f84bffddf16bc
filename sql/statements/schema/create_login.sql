do $$ begin
    create role jobforge login nosuperuser;
exception when duplicate_object then
    null;
end $$
