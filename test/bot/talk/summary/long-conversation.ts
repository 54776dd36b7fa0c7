import { ANNA, type BotSetup } from '../../bot-setup.ts'

/** A text of about 1,000 tokens of English. */
const THOUSAND_TOKENS = 'long '.repeat(1100).trim()

/** Has a chat's conversation begin with so many thousands of tokens, each the answer of a turn of its own. */
export async function beginLongConversation(
  { database }: BotSetup,
  { thousands = 10, chatId = ANNA, userId = ANNA } = {},
): Promise<void> {
  const { prisma } = database
  const user = { id: userId, firstName: 'Anna', languageCode: 'en' }
  await prisma.user.upsert({ where: { id: userId }, create: user, update: {} })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId } })
  for (let index = 0; index < thousands; index += 1) {
    const messages = [
      { conversationId, role: 'user' as const, content: `Question ${index}` },
      { conversationId, role: 'assistant' as const, content: THOUSAND_TOKENS },
    ]
    const turn = {
      conversationId,
      userId,
      chatId,
      model: 'alpha',
      promptMessageId: 900_000 + index,
    }
    await prisma.turn.create({
      data: { ...turn, state: 'finished', endedAt: new Date(), messages: { create: messages } },
    })
  }
}
