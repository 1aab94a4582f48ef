"""Plots of reports, with matplotlib; the Sankey diagram with plotly."""
