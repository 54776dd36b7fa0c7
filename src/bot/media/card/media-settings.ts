import type { MediaKind } from '../../../contract/tasks.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { complete, type MediaOptions } from '../catalog.ts'

/** Keeps what users chose last on a card, by kind. Their next orders begin with it. */
export function createMediaSettings(prisma: Pick<PrismaClient, 'mediaSetting'>) {
  return { read, save }

  async function read(userId: number, kind: MediaKind): Promise<MediaOptions> {
    const where = { userId_kind: { userId: BigInt(userId), kind } }
    const stored = await prisma.mediaSetting.findUnique({ where })
    return complete(kind, (stored?.params ?? {}) as MediaOptions)
  }

  /** The card has stored its user. The upsert is one statement, since two taps may come at once. */
  async function save(userId: number, kind: MediaKind, options: MediaOptions): Promise<void> {
    const params = { ...options }
    await prisma.mediaSetting.upsert({
      where: { userId_kind: { userId: BigInt(userId), kind } },
      create: { userId: BigInt(userId), kind, params },
      update: { params },
    })
  }
}

export type MediaSettings = ReturnType<typeof createMediaSettings>
