-- Whoever approves spending has a role, as of other approvals. Older versions write neither more nor less.
alter table waits drop constraint waits_check3;
alter table waits add constraint waits_role_of_approvals
    check ((sort in ('approval', 'tool_call', 'spending')) = (role is not null)) not valid;
