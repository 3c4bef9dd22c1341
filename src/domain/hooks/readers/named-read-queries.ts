// The condition by which reads for deliveries come before those of a catalogue run.

/** A delivery waits for the object, or it is not part of a catalogue run. For a row h of hook_reads. */
export const IS_NAMED = `(exists (select 1 from hook_read_waits w
    where w.venue_id = h.venue_id and w.integration_id = h.integration_id and w.object_hash = h.object_hash
      and w.outcome is null and not starts_with(w.waiter_id, 'syn_'))
  or not exists (select 1 from hook_read_waits w
    where w.venue_id = h.venue_id and w.integration_id = h.integration_id and w.object_hash = h.object_hash
      and w.outcome is null))`;
