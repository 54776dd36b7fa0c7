-- A frozen account spends nothing and reads on; a closed one is opened by no key, for good.
CREATE TYPE "service"."account_state" AS ENUM ('open', 'frozen', 'closed');
ALTER TABLE "service"."account" ADD COLUMN "state" "service"."account_state" NOT NULL DEFAULT 'open';

-- A limit of the account's own stands in the row that its requests are accepted by.
ALTER TABLE "service"."rate_limit"
    ADD COLUMN "requests_max" INTEGER,
    ADD CONSTRAINT "rate_limit_requests_max_positive" CHECK ("requests_max" > 0);
