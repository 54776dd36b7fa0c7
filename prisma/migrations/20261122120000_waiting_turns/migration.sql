-- A turn that was begun and waits until those before it in its chat thread have ended.
ALTER TYPE "bot"."turn_state" ADD VALUE 'waiting';
