import type { ManualClock } from '../../../manual-clock.ts'
import { ANNA, createHouse, type House, type RunningBot } from '../../house.ts'

/** A house with a bot in which Anna has chosen how her replies grow; by default in drafts. */
export async function createDraftHouse({
  usesDrafts = true,
  clock,
}: {
  usesDrafts?: boolean
  clock?: ManualClock
} = {}): Promise<{ house: House; bot: RunningBot }> {
  const house = await createHouse({ ...(clock && { clock }) })
  const anna = { id: ANNA, firstName: 'Anna', languageCode: 'en', usesDrafts }
  await house.database.prisma.user.create({ data: anna })
  return { house, bot: await house.startBot() }
}

/** What Anna chooses while no bot runs, by way of another one. */
export async function chooseDrafts({ database }: House, usesDrafts: boolean): Promise<void> {
  await database.prisma.user.update({ where: { id: ANNA }, data: { usesDrafts } })
}
