-- Of troubles of the service, of money and of users who spend much admins are told in one way.
ALTER TABLE "bot"."service_trouble" RENAME TO "alert";
ALTER TABLE "bot"."alert" RENAME CONSTRAINT "service_trouble_pkey" TO "alert_pkey";

-- CreateTable
CREATE TABLE "bot"."routine" (
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(6) DEFAULT now(),
    "failed_visits" INTEGER NOT NULL DEFAULT 0,
    "lease_owner" INTEGER,

    CONSTRAINT "routine_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bot"."digest" (
    "user_id" BIGINT NOT NULL,
    "day" DATE NOT NULL,

    CONSTRAINT "digest_pkey" PRIMARY KEY ("user_id")
);

INSERT INTO "bot"."routine" ("id", "name") VALUES (1, 'money'), (2, 'digest');
