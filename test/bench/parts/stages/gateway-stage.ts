import { join } from 'node:path'
import type { Gateway, RunningGateway } from '../../contenders/gateways/gateway.ts'
import { plainNode, startProgram } from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'
import { type Load, openLoad } from '../../surroundings/load.ts'

const UPSTREAM = plainNode(join(import.meta.dirname, '../../surroundings/upstream.ts'))

/** A gateway between a model and those who ask. */
export interface GatewayStage extends Load {
  gateway: RunningGateway
  /** The model as it is asked without a gateway. */
  direct: Load
  /** The gateway, asked for a model that only streams. */
  streamed: Load | undefined
}

/** Starts a model and a gateway, each in a process of its own. */
export async function openGatewayStage(
  gateway: Gateway,
  { cores, signal }: BenchContext,
): Promise<GatewayStage> {
  const ends: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const upstream = await startProgram({ program: UPSTREAM, core: cores.around, signal })
    ends.push(() => upstream.stop())
    const running = await gateway.start({
      upstream: upstream.address,
      core: cores.measured,
      signal,
    })
    ends.push(() => running.stop())
    const load = openLoad(running)
    ends.push(load.close)
    const url = `${upstream.address}/v1/chat/completions`
    const direct = openLoad({ url, model: 'bench', headers: () => ({}) })
    ends.push(direct.close)
    const { streamedModel: model } = running
    const streamed = model === undefined ? undefined : openLoad({ ...running, model })
    if (streamed !== undefined) ends.push(streamed.close)
    return { ...load, gateway: running, direct, streamed, close }
  } catch (error) {
    await close()
    throw error
  }
}
