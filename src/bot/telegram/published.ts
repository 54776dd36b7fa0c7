import type { PrismaClient } from '../../platform/database/generated/client.ts'

/** Keeps what the bot last published of itself, so that a start asks Telegram for nothing that is so already. */
export function createPublished(prisma: Pick<PrismaClient, 'published'>) {
  return { read, record }

  async function read(name: string): Promise<string | undefined> {
    return (await prisma.published.findUnique({ where: { name } }))?.text
  }

  async function record(name: string, text: string): Promise<void> {
    await prisma.published.upsert({ where: { name }, create: { name, text }, update: { text } })
  }
}

export type Published = ReturnType<typeof createPublished>
