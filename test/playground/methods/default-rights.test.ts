import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

test('default rights are kept separately for groups and channels, and taken back', async () => {
  const { api, refusalOf } = await openPlayground()
  const rights = { can_pin_messages: true, can_manage_chat: true }

  await api.raw.setMyDefaultAdministratorRights({
    rights: { ...(await api.getMyDefaultAdministratorRights()), ...rights },
  })

  expect(await api.getMyDefaultAdministratorRights()).toMatchObject({
    can_pin_messages: true,
    can_manage_chat: true,
    can_delete_messages: false,
  })
  expect(await api.getMyDefaultAdministratorRights({ for_channels: true })).toMatchObject({
    can_manage_chat: false,
    can_post_messages: false,
  })
  await api.setMyDefaultAdministratorRights()
  expect(await api.getMyDefaultAdministratorRights()).toMatchObject({ can_pin_messages: false })
  expect(await refusalOf('setMyDefaultAdministratorRights', { rights: '{' })).toBe(
    "Bad Request: can't parse ChatAdministratorRights JSON object",
  )
})
