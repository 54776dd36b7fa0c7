import { randomInt } from 'node:crypto'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readHistory } from '../../../../src/bot/talk/conversation/history.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const ROUNDS = 100
const TURNS_MAX = 8

let database: TestDatabase

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  await database.pool.query(`INSERT INTO bot."user" (id, first_name) VALUES (501, 'Anna')`)
})

/**
 * The rule in one statement: the conversation's instruction, the messages of turns before the turn that were answered
 * and are not set aside, its own prompt. It is right however long it takes.
 */
const RULE_SQL = `
  SELECT turn_id AS "turnId", role, content FROM bot.message
  WHERE conversation_id = $1 AND content <> '' AND (
    turn_id IS NULL OR (turn_id = $2 AND role = 'user') OR turn_id IN (
      SELECT id FROM bot.turn WHERE conversation_id = $1 AND set_aside_at IS NULL
        AND state IN ('finished', 'stopped', 'interrupted')
        AND (kind = 'summary' OR $2::bigint IS NULL OR (id < $2 AND prompt_message_id <> $3))
        AND EXISTS (SELECT FROM bot.message answer
          WHERE answer.turn_id = turn.id AND answer.role <> 'user' AND answer.content <> '')))
  ORDER BY CASE WHEN turn_id IS NULL THEN 0 WHEN role = 'system' THEN 1 ELSE 2 END, turn_id, id`

test(`of ${ROUNDS} random conversations readHistory() reads what the rule says, in its order`, async () => {
  const lengths = new Set<number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const conversationId = await storeConversation(round)
    const turns = await database.prisma.turn.findMany({ where: { conversationId } })
    for (const turn of [undefined, ...turns]) {
      const { rows } = await database.pool.query(RULE_SQL, [
        conversationId,
        turn?.id ?? null,
        turn?.promptMessageId ?? null,
      ])

      const read = await readHistory(
        database.prisma,
        turn === undefined ? { conversationId } : { conversationId, turn },
      )

      lengths.add(rows.length)
      expect(
        read.map(({ turnId, message }) => [turnId, message.role]),
        `conversation ${conversationId}, turn ${turn?.id}`,
      ).toEqual(rows.map(({ turnId, role }) => [turnId === null ? null : BigInt(turnId), role]))
      expect(read.map(({ message }) => message.content)).toEqual(
        rows.map(({ content }) => expect.stringContaining(content)),
      )
    }
  }
  expect(lengths.size).toBeGreaterThan(5)
})

async function storeConversation(round: number): Promise<bigint> {
  const { prisma } = database
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: 501 } })
  if (round % 2 === 0) {
    await prisma.message.create({ data: { conversationId, role: 'system', content: 'Be brief.' } })
  }
  for (let index = 0, turns = randomInt(TURNS_MAX + 1); index < turns; index += 1) {
    const isSummary = randomInt(5) === 0
    const promptMessageId = round * 1_000 + (randomInt(3) === 0 ? index : 100 + index)
    const states = [
      'finished',
      'finished',
      'stopped',
      'interrupted',
      'failed',
      'streaming',
    ] as const
    const { id: turnId } = await prisma.turn.create({
      data: {
        conversationId,
        userId: 501n,
        chatId: 501n,
        promptMessageId,
        attempt: index + 1,
        model: 'alpha',
        kind: isSummary ? 'summary' : 'answer',
        state: states[randomInt(states.length)] ?? 'finished',
        setAsideAt: randomInt(4) === 0 ? new Date() : null,
      },
    })
    const content = (words: string) => (randomInt(6) === 0 ? '' : `${words} ${turnId}`)
    if (!isSummary) {
      const data = { conversationId, turnId, role: 'user', content: content('Asked') } as const
      await prisma.message.create({ data })
    }
    if (randomInt(5) > 0) {
      const role = isSummary ? 'system' : 'assistant'
      await prisma.message.create({
        data: { conversationId, turnId, role, content: content('Answered') },
      })
    }
  }
  return conversationId
}
