-- Which examples below a greeting were tapped, and which message stands for the question.
CREATE TABLE "bot"."asked_example" (
    "chat_id" BIGINT NOT NULL,
    "greeting_id" INTEGER NOT NULL,
    "example" INTEGER NOT NULL,
    "question_id" INTEGER NOT NULL,
    CONSTRAINT "asked_example_pkey" PRIMARY KEY ("chat_id", "greeting_id", "example")
);
