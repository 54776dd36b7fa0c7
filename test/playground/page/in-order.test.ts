import { expect, test } from 'vitest'
import { inOrder } from '../../../src/playground/page/composer/in-order.ts'

test('inOrder() runs actions of one key in their order, also after a failure', async () => {
  const { promise: gate, reject } = Promise.withResolvers<void>()
  const sent: string[] = []

  const first = inOrder('chat', () => gate)
  const second = inOrder('chat', async () => sent.push('second'))
  const elsewhere = inOrder('other', async () => sent.push('elsewhere'))
  await elsewhere
  expect(sent).toEqual(['elsewhere'])
  reject(new Error('refused'))

  await expect(first).rejects.toThrow('refused')
  await second
  expect(sent).toEqual(['elsewhere', 'second'])
})
