-- The card of a hold as its payer knows it, for the pages and receipts of that payer alone.

alter table holds add column card_brand text, add column card_last4 text;
comment on column holds.card_brand is 'As the processor names it: visa, mastercard, amex; null: not held, or no card (Link).';
alter table holds add constraint card_brand_has_1_to_40_characters check (char_length(card_brand) between 1 and 40);
alter table holds add constraint card_last4_is_four_digits check (card_last4 ~ '^[0-9]{4}$');
alter table holds add constraint card_has_brand_and_last4 check ((card_brand is null) = (card_last4 is null));
