-- A running process is a row that it renews (src/database/instance.ts), where a lock of its session was.

CREATE TABLE "public"."instance" (
    "id" SERIAL NOT NULL,
    "name" TEXT,
    "works" TEXT[] NOT NULL,
    "leads" BOOLEAN NOT NULL DEFAULT false,
    "beat_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "instance_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "instance_name_key" ON "public"."instance" ("name");

-- What must hold whoever writes. Prisma's schema language cannot say these; they are kept here by hand.

-- One process leads. The index has the rows of leaders only.
CREATE UNIQUE INDEX "instance_leads_key" ON "public"."instance" ("leads") WHERE "leads";
