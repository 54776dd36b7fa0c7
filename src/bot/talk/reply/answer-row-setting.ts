import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Notifications } from '../../../platform/database/instance/notifications.ts'
import { createRememberedRows } from '../../../platform/database/remembered-rows.ts'
import { createStoredSettings } from '../../settings/stored-settings.ts'

const OFF = 'off'

/** Keeps whether answers have their row of buttons, as the admins set it for everybody; for all processes. */
export function createAnswerRowSetting(
  prisma: Pick<PrismaClient, 'setting' | '$transaction'>,
  notifications: Pick<Notifications, 'listen'>,
) {
  const settings = createStoredSettings<{ isShown: boolean }>(prisma, {
    isShown: {
      name: 'answer_row',
      initial: true,
      parse: (text) => text !== OFF,
      format: (isShown) => (isShown ? 'on' : OFF),
    },
  })
  const remembered = createRememberedRows<boolean>(
    { notifications, channel: 'bot.setting' },
    { rowsMax: 1 },
  )
  return {
    read,
    set,
    /** The same for a reader that asks with every answer. For a moment after a change it may be the old one. */
    isShown: () => remembered.read('', read),
  }

  async function read(): Promise<boolean> {
    return (await settings.read()).isShown
  }

  function set(isShown: boolean, by: { adminId: number }): Promise<void> {
    return settings.set({ isShown }, by)
  }
}

export type AnswerRowSetting = ReturnType<typeof createAnswerRowSetting>
