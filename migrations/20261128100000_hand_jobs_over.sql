-- Workers that gave a job back because they could not do what it takes, and when the last of them did. They leave it to
-- others for a while. Older versions ignore both columns.
alter table jobs
    add column tried_by uuid[],
    add column tried_at timestamptz;
