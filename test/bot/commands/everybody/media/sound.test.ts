import { expect, test } from 'vitest'
import { setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test('/sound orders a sound as long as was asked for', async () => {
  const { send, created } = await setUp()

  await send('/sound 12 секунд дождь', { languageCode: 'ru' })

  expect(created).toMatchObject([
    {
      media: { kind: 'sound', request: { prompt: 'дождь', duration: 12 } },
      label: 'soundgen',
      priceMicroRub: 3_000_000n,
    },
  ])
})
