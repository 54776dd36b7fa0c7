import type { BenchContext } from '../../part.ts'
import { bare } from './bare.ts'
import type { Gateway, GatewayName } from './gateway.ts'
import { kopeckGateway } from './kopeck.ts'

/** All gateways that can be measured here, ours last, and those that are not installed. */
export function findGateways(context: BenchContext): {
  gateways: Gateway[]
  missing: GatewayName[]
} {
  const { checkouts, peers, only } = context
  const gateways = [
    ...peers.flatMap(({ gateway }) => gateway ?? []),
    bare,
    ...checkouts.map((checkout) => kopeckGateway(checkout, context)),
  ].filter(({ name }) => only?.has(name) ?? true)
  const missing = peers.filter(({ gateway }) => gateway === undefined).map(({ name }) => name)
  return { gateways, missing }
}
