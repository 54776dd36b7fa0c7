-- A value that is new cannot be used in the transaction that adds it: what it means follows in the next.
ALTER TYPE "service"."entry_kind" ADD VALUE 'debit';
