import type { MediaKind } from '../../../contract/media.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { complete, type MediaOptions } from '../options/catalog.ts'

/** What users chose last on a card, by kind. Their next orders begin with it. */
export function createMediaSettings(prisma: Pick<PrismaClient, 'mediaSetting' | '$executeRaw'>) {
  return { read, save }

  /** @returns One of each option of the kind: the defaults, where the user chose none yet. */
  async function read(userId: number, kind: MediaKind): Promise<MediaOptions> {
    const where = { userId_kind: { userId: BigInt(userId), kind } }
    const stored = await prisma.mediaSetting.findUnique({ where })
    return complete(kind, (stored?.params ?? {}) as MediaOptions)
  }

  /** The user has a row already: that of the card. One statement, since two taps may come at once. */
  async function save(userId: number, kind: MediaKind, options: MediaOptions): Promise<void> {
    await prisma.$executeRaw`
      INSERT INTO bot.media_setting (user_id, kind, params)
      VALUES (${userId}, ${kind}::bot.media_kind, ${JSON.stringify(options)}::jsonb)
      ON CONFLICT (user_id, kind) DO UPDATE SET params = excluded.params`
  }
}

export type MediaSettings = ReturnType<typeof createMediaSettings>
