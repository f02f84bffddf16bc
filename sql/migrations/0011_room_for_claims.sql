-- A claim writes a new version of its row and with it a second entry into the primary key, right
-- beside the first. Pages filled to the usual nine tenths by rising ids must all be split for that;
-- half-filled ones need not: a claim got a tenth cheaper, and the index ends up no larger.
--
-- Safe while workers of the version before run: only pages written from now on differ.
alter index jobforge.jobs_pkey set (fillfactor = 45);
