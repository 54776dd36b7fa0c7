/** One part of a card, as ECharts draws it. It has a grid of its own. */
export interface Block {
  height: number
  titles?: Title[]
  grid: object
  xAxes: object[]
  yAxes: object[]
  series: object[]
}

export interface Title {
  text: string
  top: number
  left?: number | 'center'
  textStyle: { fontSize: number; fontWeight?: 'bold' | 'normal'; color?: string }
}
