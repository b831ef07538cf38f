// Charts, from the small description that ui.chart() writes beside each of them.
//
// The colours are those of the theme, so charts are drawn again when it changes. ECharts is loaded
// when the first chart is there to be drawn. Tooltips are drawn too: HTML ones need inline styles.
"use strict";
(() => {
  const drawn = new Map();
  let loading = null;

  const load = (url) => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = () => resolve(window.echarts);
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  };

  // A colour of the style sheet as the browser sees it now: light-dark() is worked out by it.
  const probe = document.createElement("span");
  probe.hidden = true;
  const colour = (name) => {
    if (!probe.isConnected) document.body.append(probe);
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const series = () => [1, 2, 3, 4, 5, 6].map((number) => colour(`--tw-series-${number}`));

  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
  const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
  const dollars = (value) => {
    const digits = Math.abs(value) >= 100 || value === 0 ? 0 : Math.abs(value) >= 1 ? 2 : 4;
    return `$${value.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: digits })}`;
  };
  const formats = {
    usd: dollars,
    percent: (value) => `${exact.format(value)} %`,
    index: (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${exact.format(Math.abs(value))}`,
    count: (value) => (Math.abs(value) >= 10000 ? compact.format(value) : exact.format(value)),
  };

  // A currency by its code, in the grouping of where it is used.
  const currency = (code) => {
    const place = code === "INR" ? "en-IN" : "en";
    const format = new Intl.NumberFormat(place, { style: "currency", currency: code, maximumFractionDigits: 0 });
    return (value) => format.format(value);
  };
  const formatOf = (unit) => (/^[A-Z]{3}$/.test(unit) ? currency(unit) : formats[unit] ?? formats.count);

  const colours = (chart) => (chart.colours?.length ? chart.colours.map(colour) : series());
  // Hatched: told apart without colours, too.
  const hatched = () => ({ symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -Math.PI / 4, color: colour("--tblr-bg-surface") });
  const tooltip = (format) => ({
    renderMode: "richText",
    confine: true,
    backgroundColor: colour("--tblr-bg-surface"),
    borderColor: colour("--tw-line"),
    textStyle: { color: colour("--tblr-body-color"), fontSize: 13 },
    valueFormatter: (each) => (each == null ? "–" : format(each)),
  });
  const donut = (chart) => ({
    animation: false,
    aria: { enabled: false },
    color: colours(chart),
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
    tooltip: { ...tooltip(formats.count), trigger: "item" },
    series: [{
      type: "pie",
      radius: ["58%", "92%"],
      label: { show: false },
      emphasis: { scale: false },
      itemStyle: { borderColor: colour("--tblr-bg-surface"), borderWidth: 2 },
      data: chart.x.map((name, index) => ({
        name,
        value: chart.series[0].values[index],
        itemStyle: { opacity: chart.chosen?.includes(true) && !chart.chosen[index] ? 0.25 : 1 },
      })),
    }],
  });
  // A value between two that are not there has no line: it needs a dot.
  const alone = (values) =>
    values.some((each, at) => each != null && values[at - 1] == null && values[at + 1] == null);

  // Shares that come near to everything: nothing is more than that.
  const wholes = (chart) => {
    const most = Math.max(...chart.series.flatMap((each) => each.values));
    return chart.unit === "percent" && chart.kind !== "stack" && most > 80 && most <= 100;
  };

  // What is counted in whole numbers has no halves on its axis.
  const wholeNumbers = (chart) =>
    chart.unit === "count" && chart.series.every((each) => each.values.every((value) => value == null || Number.isInteger(value)));

  const options = (chart, width) => {
    if (chart.kind === "donut") return donut(chart);
    const text = colour("--tw-muted");
    const line = colour("--tw-line");
    const format = formatOf(chart.unit);
    const across = chart.kind === "rows";
    const category = {
      type: "category",
      data: chart.x,
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
      axisLabel: { color: text, hideOverlap: true, width: across ? width * 0.36 : undefined, overflow: "truncate" },
      inverse: across,
    };
    const value = {
      type: "value",
      axisLabel: { color: text, formatter: format, hideOverlap: true },
      splitLine: { lineStyle: { color: line } },
      splitNumber: 4,
      minInterval: wholeNumbers(chart) ? 1 : undefined,
      max: chart.most ?? (wholes(chart) ? 100 : undefined),
    };
    const many = chart.series.length > 1;
    return {
      animation: false,
      aria: { enabled: false },
      color: colours(chart),
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      grid: { left: 8, right: 16, top: many ? 36 : 12, bottom: 4, containLabel: true },
      legend: many ? { top: 0, left: 0, icon: "roundRect", itemWidth: 12, itemHeight: 12, textStyle: { color: colour("--tblr-body-color") } } : undefined,
      tooltip: {
        ...tooltip(format),
        trigger: "axis",
        axisPointer: { type: chart.kind === "line" || chart.kind === "area" ? "line" : "shadow" },
      },
      xAxis: across ? value : category,
      yAxis: across ? category : value,
      series: chart.series.map((each, index) => ({
        name: each.name,
        type: chart.kind === "line" || chart.kind === "area" ? "line" : "bar",
        data: each.values,
        stack: chart.kind === "stack" ? "all" : undefined,
        areaStyle: chart.kind === "area" ? { opacity: 0.18 } : undefined,
        showSymbol: chart.x.length < 2 || alone(each.values),
        symbolSize: 6,
        lineStyle: { width: 2, type: ["solid", "dashed", "dotted"][Math.floor(index / 2) % 3] },
        barMaxWidth: 34,
        itemStyle: {
          borderRadius: chart.kind === "stack" ? 0 : across ? [0, 3, 3, 0] : [3, 3, 0, 0],
          decal: each.pattern ? hatched() : undefined,
        },
        markLine: index || !chart.marks?.length ? undefined : {
          silent: true,
          symbol: "none",
          lineStyle: { color: colour("--tw-bad"), type: "dashed" },
          label: { color: colour("--tw-bad"), backgroundColor: colour("--tblr-bg-surface"), padding: [2, 4], borderRadius: 3, formatter: "{b}", position: "insideEndTop" },
          data: chart.marks.map((mark) => ({ name: mark.name, [across ? "xAxis" : "yAxis"]: mark.value })),
        },
      })),
    };
  };

  // A click on a part of a chart is one on its link, in the table or list with the same figures.
  const shown = new WeakMap();
  const linkOf = (space, number) => {
    const { links } = shown.get(space);
    const home = links === true ? space.closest("figure") : links && document.getElementById(links);
    return home ? home.querySelector(`a[data-part="${number}"]`) : null;
  };
  const linkAt = (made, space, event) => {
    const at = [event.offsetX, event.offsetY];
    if (!shown.get(space).links || !made.containPixel("grid", at)) return null;
    const found = made.convertFromPixel({ seriesIndex: 0 }, at);
    return linkOf(space, found[shown.get(space).kind === "rows" ? 1 : 0]);
  };
  const follow = (made, space) => {
    if (shown.get(space).kind === "donut")
      return made.on("click", (part) => linkOf(space, part.dataIndex)?.click());
    const surface = made.getZr();
    surface.on("click", (event) => linkAt(made, space, event)?.click());
    surface.on("mousemove", (event) =>
      surface.setCursorStyle(linkAt(made, space, event) ? "pointer" : "default"),
    );
  };

  const draw = (figure) => {
    const space = figure.querySelector(".chart-space");
    // Another figure may have taken its place while the library was loading.
    if (!space || !figure.isConnected) return;
    const chart = JSON.parse(figure.querySelector("script").textContent);
    const known = window.echarts.getInstanceByDom(space);
    const made = known ?? window.echarts.init(space, null, { renderer: "svg" });
    drawn.set(space, made);
    shown.set(space, chart);
    made.setOption(chart.options ?? options(chart, space.clientWidth), true);
    if (!known) follow(made, space);
    // The picture says nothing that the table below it does not say.
    space.setAttribute("aria-hidden", "true");
  };
  const drawAll = (root) => {
    const figures = [...root.querySelectorAll("figure[data-chart]")];
    if (root.matches?.("figure[data-chart]")) figures.push(root);
    if (!figures.length) return;
    load(figures[0].dataset.chart).then(() => figures.forEach(draw), () => {
      for (const figure of figures) figure.querySelector("details")?.setAttribute("open", "");
    });
  };

  document.addEventListener("DOMContentLoaded", () => drawAll(document));
  document.addEventListener("htmx:load", (event) => drawAll(event.detail.elt));
  document.addEventListener("tw:theme", () => drawAll(document));
  document.addEventListener("htmx:afterSwap", () => {
    for (const [space, made] of drawn) {
      if (space.isConnected) continue;
      made.dispose();
      drawn.delete(space);
    }
  });
  let pending = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => drawn.forEach((made) => made.resize()));
  });
})();
