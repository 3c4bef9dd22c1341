-- The history of a checkout also names guests who left its party. The other indexes of shares are of the present party alone.

create index shares_dropped on shares (venue_id, checkout_id) where dropped_at is not null;
