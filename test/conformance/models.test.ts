import { expect } from 'vitest'
import { readModels } from '../../src/contract/client/read-answers.ts'
import { check } from './check.ts'
import { notSeen } from './service.ts'

check('GET /chats/models lists models with the prices of input and output', async ({ ask }) => {
  const { status, json } = await ask('GET', '/chats/models')
  expect(status).toBe(200)
  const models = readModels(json) ?? notSeen('the list of models has an unknown shape')
  expect(models).not.toEqual([])
  for (const model of models) {
    expect(model).toMatchObject({
      promptMicroRubPer1m: expect.any(BigInt),
      completionMicroRubPer1m: expect.any(BigInt),
    })
  }
})
