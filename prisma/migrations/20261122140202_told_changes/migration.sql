-- What processes keep in memory of these tables they read anew once told that it changed, whoever changed it.
CREATE FUNCTION "bot"."tell_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    PERFORM pg_notify(TG_ARGV[0], OLD.id::text);
  ELSE
    PERFORM pg_notify(TG_ARGV[0], '');
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER "user_tells_change" AFTER UPDATE ON "bot"."user" FOR EACH ROW
  WHEN ((OLD.first_name, OLD.username, OLD.language_code, OLD.language, OLD.cost_note, OLD.admission,
      OLD.admission_at, OLD.role)
    IS DISTINCT FROM (NEW.first_name, NEW.username, NEW.language_code, NEW.language, NEW.cost_note, NEW.admission,
      NEW.admission_at, NEW.role))
  EXECUTE FUNCTION "bot"."tell_change"('bot.user');
CREATE TRIGGER "user_tells_end" AFTER DELETE ON "bot"."user" FOR EACH ROW
  EXECUTE FUNCTION "bot"."tell_change"('bot.user');
CREATE TRIGGER "setting_tells_change" AFTER INSERT OR UPDATE OR DELETE ON "bot"."setting" FOR EACH STATEMENT
  EXECUTE FUNCTION "bot"."tell_change"('bot.setting');
CREATE TRIGGER "spend_limit_tells_change" AFTER INSERT OR UPDATE OR DELETE ON "bot"."spend_limit" FOR EACH STATEMENT
  EXECUTE FUNCTION "bot"."tell_change"('bot.spend_limit');
