-- AlterTable
ALTER TABLE "service"."task" ADD COLUMN "polled_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "service"."rate_limit" (
    "account_id" INTEGER NOT NULL,
    "route" TEXT NOT NULL,
    "accepted_at" TIMESTAMPTZ(6)[],

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("account_id","route")
);

-- AddForeignKey
ALTER TABLE "service"."rate_limit" ADD CONSTRAINT "rate_limit_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "service"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
