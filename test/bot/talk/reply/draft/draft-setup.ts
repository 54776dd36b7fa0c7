import type { ManualClock } from '../../../../platform/time/manual-clock.ts'
import { ANNA, type BotSetup, createBotSetup, type RunningBot } from '../../../bot-setup.ts'

/** A setup with a bot in which Anna has chosen how her replies grow; by default in drafts. */
export async function createDraftSetup({
  usesDrafts = true,
  clock,
}: {
  usesDrafts?: boolean
  clock?: ManualClock
} = {}): Promise<{ setup: BotSetup; bot: RunningBot }> {
  const setup = await createBotSetup({ ...(clock && { clock }) })
  const anna = { id: ANNA, firstName: 'Anna', languageCode: 'en', usesDrafts }
  await setup.database.prisma.user.create({ data: anna })
  return { setup, bot: await setup.startBot() }
}

/** Sets Anna's choice while no bot runs, by way of another one. */
export async function chooseDrafts({ database }: BotSetup, usesDrafts: boolean): Promise<void> {
  await database.prisma.user.update({ where: { id: ANNA }, data: { usesDrafts } })
}
