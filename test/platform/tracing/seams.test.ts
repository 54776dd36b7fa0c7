import { expect, onTestFinished, test } from 'vitest'
import { ANNA, createBotSetup } from '../../bot/bot-setup.ts'
import { ended } from '../../bot/talk/turns/ended.ts'
import { openCallbackSetup } from '../../service/callback/callback-setup.ts'
import { startReceiver } from '../../service/callback/receiver.ts'
import { startCollector } from './collector.ts'

test('a look at a task and an attempt to deliver its callback are spans', async () => {
  const collector = await startCollector()
  const setup = await openCallbackSetup()
  onTestFinished(() => setup.close())
  const receiver = await startReceiver({ secret: () => setup.secret })
  onTestFinished(() => receiver.close())
  const service = await setup.addProcess({ allow: [`127.0.0.1:${receiver.port}`] })

  const taskId = await service.createAndFinish(receiver.url)
  await service.deliver(taskId)

  await expect.poll(collector.spans).toContainEqual(
    expect.objectContaining({
      name: 'task visit',
      attributes: { 'kopeck.task_id': String(taskId) },
    }),
  )
  await expect.poll(collector.spans).toContainEqual(
    expect.objectContaining({
      name: 'callback attempt',
      attributes: {
        'kopeck.task_id': String(taskId),
        'kopeck.attempt': '1',
        'http.response.status_code': '200',
      },
    }),
  )
  expect(collector.text()).not.toContain('hush')
})

test('a turn of the bot is a span, and what it asks the service is in its trace', async () => {
  const collector = await startCollector()
  const setup = await createBotSetup()
  await setup.startBot()
  setup.service.onCompletion((completion) => completion.answer('Yes.'))

  setup.playground.userSends({ userId: ANNA, text: 'words of somebody' })
  await ended(setup, 1)

  await expect
    .poll(collector.spans)
    .toContainEqual(expect.objectContaining({ name: 'bot turn', isError: false }))
  const turn = collector.spans().find(({ name }) => name === 'bot turn')
  const asked = collector.spans().find(({ parentSpanId }) => parentSpanId === turn?.spanId)
  expect(asked).toMatchObject({ name: 'POST', traceId: turn?.traceId })
  expect(collector.text()).not.toContain('words of somebody')
})
