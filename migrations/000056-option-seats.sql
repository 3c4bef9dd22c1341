-- How many places one unit of a product's option takes: an order may name only the option and its quantity.

alter table hook_objects add column option_seats json;
