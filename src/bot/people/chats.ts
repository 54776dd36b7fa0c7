import type { PrismaClient } from '../../platform/database/generated/client.ts'

/**
 * Remembers facts about chats. Each is written by one statement, so that of several who ask at once one
 * gets a yes.
 */
export function createChats(prisma: PrismaClient) {
  return { mayHint, isNewAlbum }

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
}

export type Chats = ReturnType<typeof createChats>
