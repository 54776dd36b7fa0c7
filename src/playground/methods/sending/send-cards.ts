import { randomInt } from 'node:crypto'
import type { Dice, Location } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { intOf, type Params, textOf } from '../../wire/params.ts'
import type { Card, Content } from '../../world/message.ts'
import type { Method } from '../method.ts'
import { deliver } from './deliver.ts'
import { requiredOf } from './required.ts'
import { readTarget } from './target.ts'

const ACCURACY_M_MAX = 1_500
const ALERT_RADIUS_M_MAX = 100_000
const LIVE_S_MIN = 60
const LIVE_S_MAX = 86_400
/** Lives until it is stopped. */
const LIVE_FOR_GOOD = 0x7fffffff
const INT_32 = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** How many faces each die has. */
const FACES = new Map([
  ['🎲', 6],
  ['🎯', 6],
  ['🎳', 6],
  ['🏀', 5],
  ['⚽', 5],
  ['🎰', 64],
])

const sendLocation: Method = (call, deps) => {
  const { params } = call
  const given = readLocation(params)
  const live = {
    live_period: intOf(params, 'live_period', INT_32),
    heading: intOf(params, 'heading', INT_32),
    proximity_alert_radius: intOf(params, 'proximity_alert_radius', INT_32),
  }
  const target = readTarget(params, deps.world, 'locations')
  checkPlace(given, live.live_period === 0 ? 'location' : 'live location')
  checkLive(live)
  const { live_period, heading, proximity_alert_radius } = live
  const location: Location = {
    ...given,
    ...(live_period !== 0 && {
      live_period,
      ...(heading !== 0 && { heading }),
      ...(proximity_alert_radius !== 0 && { proximity_alert_radius }),
    }),
  }
  return deliver(call, deps, target, () => toContent({ location }))
}

const sendVenue: Method = (call, deps) => {
  const { params } = call
  const location = readLocation(params)
  const names = ['google_place_id', 'google_place_type', 'foursquare_id', 'foursquare_type']
  const ids = names.map((name) => [name, textOf(params, name)]).filter(([, text]) => text !== '')
  const target = readTarget(params, deps.world, 'venues')
  checkPlace(location, 'venue location')
  const facts = { title: textOf(params, 'title'), address: textOf(params, 'address') }
  const venue = { location, ...facts, ...Object.fromEntries(ids) }
  return deliver(call, deps, target, () => toContent({ venue, location }))
}

const sendContact: Method = (call, deps) => {
  const { params } = call
  const lastName = textOf(params, 'last_name')
  const vcard = textOf(params, 'vcard')
  const contact = {
    phone_number: requiredOf(params, 'phone_number'),
    first_name: requiredOf(params, 'first_name'),
    ...(lastName !== '' && { last_name: lastName }),
    ...(vcard !== '' && { vcard }),
  }
  const target = readTarget(params, deps.world, 'contacts')
  return deliver(call, deps, target, () => toContent({ contact }))
}

/** The server throws the die: the value is unknown before. */
const sendDice: Method = (call, deps) => {
  const emoji = textOf(call.params, 'emoji').trim() || '🎲'
  const target = readTarget(call.params, deps.world, 'dice')
  return deliver(call, deps, target, () => {
    if (!FACES.has(emoji)) throw badRequest('EMOTICON_INVALID')
    return toContent({ dice: throwDie(emoji) })
  })
}

/** @param emoji One of those that can be thrown. */
export function throwDie(emoji: string): Dice {
  return { emoji, value: randomInt(FACES.get(emoji) ?? 1) + 1 }
}

export function toContent(card: Card): Content {
  return { text: '', entities: [], card }
}

function readLocation(params: Params): Location {
  const [latitude, longitude] = ['latitude', 'longitude'].map((name) => {
    const text = textOf(params, name).trim()
    if (text === '') throw badRequest(`${name} is empty`)
    return Number.parseFloat(text) || 0
  }) as [number, number]
  const accuracy = Number.parseFloat(textOf(params, 'horizontal_accuracy')) || 0
  const horizontal_accuracy = Math.min(ACCURACY_M_MAX, Math.ceil(accuracy))
  return { latitude, longitude, ...(accuracy > 0 && { horizontal_accuracy }) }
}

function checkPlace({ latitude, longitude }: Location, what: string): void {
  const isOnTheMap = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  if (!isOnTheMap) throw badRequest(`invalid ${what} specified`)
}

function checkLive(live: {
  live_period: number
  heading: number
  proximity_alert_radius: number
}): void {
  const { live_period: period, heading, proximity_alert_radius: radius } = live
  const isPeriod = period === LIVE_FOR_GOOD || (period >= LIVE_S_MIN && period <= LIVE_S_MAX)
  if (period !== 0 && !isPeriod) throw badRequest('wrong live location period specified')
  if (period !== 0 && (heading < 0 || heading > 360)) {
    throw badRequest('wrong live location heading specified')
  }
  if (period !== 0 && (radius < 0 || radius > ALERT_RADIUS_M_MAX)) {
    throw badRequest('wrong live location proximity alert radius specified')
  }
}

export const cardMethods = { sendLocation, sendVenue, sendContact, sendDice }
