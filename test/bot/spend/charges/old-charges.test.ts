import { expect, test } from 'vitest'
import { checkSums } from '../../../../src/bot/spend/check/check-sums.ts'
import { migrate } from '../../../../src/platform/database/migrate.ts'
import { openOldDatabase } from '../../../platform/database/open-old-database.ts'

/** Charges did not tell all that they tell. */
const CHARGES = '20261122110000_charges'

test('old charges keep their amounts, find their chats, kinds and what they take back, and are in the sums', async () => {
  const { url, pool, prisma } = await openOldDatabase({ before: CHARGES })
  await pool.query(`
    INSERT INTO bot."user" (id, first_name) VALUES (501, 'Anna');
    INSERT INTO bot.conversation (id, chat_id) VALUES (1, -70);
    INSERT INTO bot.turn (id, conversation_id, user_id, chat_id, prompt_message_id, attempt, model, requests)
      VALUES (1, 1, 501, -70, 7, 1, 'alpha', 1), (2, 1, 501, -70, 7, 2, 'alpha', 3);
    INSERT INTO bot."order" (id, user_id, chat_id, kind, origin_key, reply_to_message_id, params, label, task_id,
        idempotency_key)
      VALUES (1, 501, -70, 'image', 'message -70 8', 8, '{}', 'imagegen', 9, gen_random_uuid())`)
  await pool.query(`
    INSERT INTO bot.charge (user_id, turn_id, order_id, kind, amount_micro_rub, estimated, item, created_at) VALUES
      (501, 1, NULL, 'turn', 5, false, 'alpha', '2026-11-20T20:59Z'),
      (501, 2, NULL, 'turn', 7, true, 'alpha', '2026-11-20T21:00Z'),
      (501, NULL, 1, 'order', 40, false, 'imagegen', '2026-11-20T21:00Z'),
      (501, NULL, 1, 'write_off', -40, false, 'imagegen', '2026-11-21T21:00Z'),
      -- Of orders that were erased: two clips of one price, of which one was taken back.
      (501, NULL, NULL, 'order', 80, false, 'vidgen', '2026-11-20T21:00Z'),
      (501, NULL, NULL, 'order', 80, false, 'vidgen', '2026-11-20T21:01Z'),
      (501, NULL, NULL, 'reversal', -80, false, 'vidgen', '2026-11-20T21:02Z')`)

  await migrate(url)

  const charges = await prisma.charge.findMany({ orderBy: { id: 'asc' } })
  expect(
    charges.map(({ kind, chatId, request, amountMicroRub, reversalOfId, writtenOff, day }) => [
      ...[kind, Number(chatId), request, Number(amountMicroRub), reversalOfId, writtenOff],
      day.toISOString().slice(0, 10),
    ]),
  ).toEqual([
    ['answer', -70, 1, 5, null, false, '2026-11-20'],
    ['retry', -70, 3, 7, null, false, '2026-11-21'],
    ['image', -70, null, 40, null, false, '2026-11-21'],
    ['image', -70, null, -40, charges[2]?.id, true, '2026-11-22'],
    ['video', 501, null, 80, null, false, '2026-11-21'],
    ['video', 501, null, 80, null, false, '2026-11-21'],
    ['video', 501, null, -80, charges[4]?.id, false, '2026-11-21'],
  ])
  expect(await checkSums(prisma)).toMatchObject({
    ...{ charges: 7, amountMicroRub: 92n, estimatedMicroRub: 7n, writtenOffMicroRub: 40n },
    differences: [],
  })
})
