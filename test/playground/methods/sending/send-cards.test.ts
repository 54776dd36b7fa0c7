import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

test('sendLocation() takes a point on the map, for a while if it is live', async () => {
  const { api, refusalOf } = await openPlayground()
  const send = (params: object) =>
    refusalOf('sendLocation', { chat_id: 5, latitude: 55.75, longitude: 37.62, ...params })

  const sent = await api.sendLocation(5, 55.75, 37.62, { live_period: 60, heading: 90 })

  expect(sent.location).toEqual({
    latitude: 55.75,
    longitude: 37.62,
    live_period: 60,
    heading: 90,
  })
  expect(await refusalOf('sendLocation', { chat_id: 5 })).toBe('Bad Request: latitude is empty')
  expect(await send({ longitude: ' ' })).toBe('Bad Request: longitude is empty')
  expect(await send({ latitude: 91 })).toBe('Bad Request: invalid location specified')
  expect(await send({ latitude: 91, live_period: 60 })).toBe(
    'Bad Request: invalid live location specified',
  )
  expect(await send({ live_period: 59 })).toBe('Bad Request: wrong live location period specified')
  expect(await send({ live_period: 60, heading: 361 })).toBe(
    'Bad Request: wrong live location heading specified',
  )
  expect(await send({ live_period: 60, proximity_alert_radius: 100_001 })).toBe(
    'Bad Request: wrong live location proximity alert radius specified',
  )
  expect(await send({ live_period: 0x7fffffff })).toBe('ok')
})

test('sendVenue() sends a point with a name, which shows as a location too', async () => {
  const { api, refusalOf } = await openPlayground()

  const sent = await api.sendVenue(5, 55.75, 37.62, 'Cafe', 'Street 1', { foursquare_id: 'f' })

  expect(sent).toMatchObject({
    venue: { title: 'Cafe', address: 'Street 1', foursquare_id: 'f' },
    location: { latitude: 55.75 },
  })
  expect(await refusalOf('sendVenue', { chat_id: 5, latitude: 1 })).toBe(
    'Bad Request: longitude is empty',
  )
})

test('sendContact() needs a number and a name', async () => {
  const { api, refusalOf } = await openPlayground()

  const sent = await api.sendContact(5, '+7000', 'Ann', { last_name: 'Lee' })

  expect(sent.contact).toEqual({ phone_number: '+7000', first_name: 'Ann', last_name: 'Lee' })
  expect(await refusalOf('sendContact', { chat_id: 5, first_name: 'Ann' })).toBe(
    'Bad Request: parameter "phone_number" is required',
  )
  expect(await refusalOf('sendContact', { chat_id: 5, phone_number: '1' })).toBe(
    'Bad Request: parameter "first_name" is required',
  )
})

test('sendDice() throws one of six dice, each within its faces', async () => {
  const { api, refusalOf } = await openPlayground()

  const die = await api.sendDice(5, '🎲')
  const ball = await api.sendDice(5, '🏀')

  expect(die.dice.value).toBeGreaterThanOrEqual(1)
  expect(die.dice.value).toBeLessThanOrEqual(6)
  expect(ball.dice).toMatchObject({ emoji: '🏀' })
  expect(await refusalOf('sendDice', { chat_id: 5 })).toBe('ok')
  expect(await refusalOf('sendDice', { chat_id: 5, emoji: '🚗' })).toBe(
    'Bad Request: EMOTICON_INVALID',
  )
})

test('a card has no text to edit, and no media can replace it', async () => {
  const { api, refusalOf } = await openPlayground()
  const { message_id } = await api.sendContact(5, '1', 'Ann')
  const edit = (method: string, params: object) =>
    refusalOf(method, { chat_id: 5, message_id, ...params })

  expect(await edit('editMessageText', { text: 'a' })).toBe(
    'Bad Request: there is no text in the message to edit',
  )
  expect(await edit('editMessageCaption', { caption: 'a' })).toBe(
    'Bad Request: there is no caption in the message to edit',
  )
  expect(await edit('editMessageMedia', { media: { type: 'photo', media: 'AAAA' } })).toBe(
    "Bad Request: message media can't be edited",
  )
})
