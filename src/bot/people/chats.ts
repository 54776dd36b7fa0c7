/** Facts about chats. One statement writes each fact: of concurrent callers only one gets a yes. */
import type { Prisma } from '../../platform/database/generated/client.ts'
import type { AnswerFormat } from '../../platform/database/generated/enums.ts'

type Db = Prisma.TransactionClient

/** Returns whether an outsider in this group may now read that the bot is not for everybody: once an hour. */
export async function mayHint(prisma: Pick<Db, '$executeRaw'>, chatId: number): Promise<boolean> {
  const count = await prisma.$executeRaw`
    INSERT INTO bot.chat (id, hinted_at) VALUES (${chatId}, now())
    ON CONFLICT (id) DO UPDATE SET hinted_at = now()
      WHERE chat.hinted_at IS NULL OR chat.hinted_at <= now() - interval '1 hour'`
  return count === 1
}

/** Returns whether this album is new; each of its pictures comes as a separate message. */
export async function isNewAlbum(
  prisma: Pick<Db, '$executeRaw'>,
  chatId: number,
  albumId: string,
): Promise<boolean> {
  const count = await prisma.$executeRaw`
    INSERT INTO bot.chat (id, album_id) VALUES (${chatId}, ${albumId})
    ON CONFLICT (id) DO UPDATE SET album_id = ${albumId}
      WHERE chat.album_id IS DISTINCT FROM ${albumId}`
  return count === 1
}

export async function readFormat(prisma: Pick<Db, 'chat'>, chatId: number): Promise<AnswerFormat> {
  const chat = await prisma.chat.findUnique({ where: { id: chatId }, select: { format: true } })
  return chat?.format ?? 'auto'
}

export async function chooseFormat(
  prisma: Pick<Db, 'chat'>,
  chatId: number,
  format: AnswerFormat,
): Promise<void> {
  const where = { id: chatId }
  await prisma.chat.upsert({ where, create: { id: chatId, format }, update: { format } })
}
