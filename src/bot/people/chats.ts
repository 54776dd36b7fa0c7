import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { AnswerFormat } from '../../platform/database/generated/enums.ts'

/**
 * Remembers facts about chats. Each is written by one statement, so that of several who ask at once one
 * gets a yes.
 */
export function createChats(prisma: PrismaClient) {
  return { mayHint, isNewAlbum, format, chooseFormat }

  /** Returns whether an outsider in this group may now read that the bot is not for everybody: once an hour. */
  async function mayHint(chatId: number): Promise<boolean> {
    const count = await prisma.$executeRaw`
      INSERT INTO bot.chat (id, hinted_at) VALUES (${chatId}, now())
      ON CONFLICT (id) DO UPDATE SET hinted_at = now()
        WHERE chat.hinted_at IS NULL OR chat.hinted_at <= now() - interval '1 hour'`
    return count === 1
  }

  /** Returns whether this album is new; every picture of one comes as a message of its own. */
  async function isNewAlbum(chatId: number, albumId: string): Promise<boolean> {
    const count = await prisma.$executeRaw`
      INSERT INTO bot.chat (id, album_id) VALUES (${chatId}, ${albumId})
      ON CONFLICT (id) DO UPDATE SET album_id = ${albumId}
        WHERE chat.album_id IS DISTINCT FROM ${albumId}`
    return count === 1
  }

  function format(chatId: number): Promise<AnswerFormat> {
    return readFormat(prisma, chatId)
  }

  async function chooseFormat(chatId: number, chosen: AnswerFormat): Promise<void> {
    const data = { format: chosen }
    await prisma.chat.upsert({
      where: { id: chatId },
      create: { id: chatId, ...data },
      update: data,
    })
  }
}

/** Reads how answers look in a chat, as a part of a transaction. */
export async function readFormat(
  tx: Pick<Prisma.TransactionClient, 'chat'>,
  chatId: number,
): Promise<AnswerFormat> {
  const chat = await tx.chat.findUnique({ where: { id: chatId }, select: { format: true } })
  return chat?.format ?? 'auto'
}

export type Chats = ReturnType<typeof createChats>
