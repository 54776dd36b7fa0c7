/** The parts of ECharts that draw the charts of spend (`src/bot/spend/charts`): they become one file. */
import { BarChart } from 'echarts/charts'
import { GridComponent, TitleComponent } from 'echarts/components'
import { init, setPlatformAPI, use } from 'echarts/core'
import { AxisBreak } from 'echarts/features'
import { SVGRenderer } from 'echarts/renderers'

use([BarChart, GridComponent, TitleComponent, AxisBreak, SVGRenderer])

export { init, setPlatformAPI }
